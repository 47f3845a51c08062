/* The search: names first for names, messages and answers first for words. Its data is loaded on the first key, from files
   beside the pages; this works from file:// too. */
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const root = document.documentElement.dataset.content_root || "./";
  const { load, made } = window.conformance;
  /* How much of a question must be in what answers it, and of a text in a message. */
  const LEAST = 0.4, LEAST_OF_MESSAGE = 0.6, MOST_OF_MESSAGE = 0.85, MANY_WORDS = 6;
  /* What a name has more that stands in a question in full, as code, as a mere word such as no_grad, and before all others. */
  const OF_FULL_NAME = 1, OF_CODE = 0.5, OF_WORD = 0.25, OF_FIRST = 0.1;
  const WHOLE = 1.5, UNSEEN = 0.35, RUN = 5, FEWEST_WORDS = 3;
  const MOST = 8, MOST_OF_GROUP = 5;
  const PAUSE = 400;
  const WEIGHTS = { name: 1.5, phrase: 0.9, lines: 0.6, owner: 0.5, claims: 0.4 };
  let data = null;

  const file = (name) => load(`${root}_loaded/${name}.js`).then(({ parts }) => parts);
  const unique = (items) => [...new Set(items)];

  /* ---- What was loaded, as objects. */
  const decoded = (stems, parts) => {
    const all = stems.split(" ");
    return parts.map((one) => one.split(",").map((part) => part.split(" ").filter(Boolean).map((digits) => all[parseInt(digits, 36)])));
  };
  const opened = (first) => {
    const patterns = Object.fromEntries(first.patterns.map(([name, text]) => [name, new RegExp(text, "g")]));
    const names = first.names.split(" ").map((text) => {
      const owner = first.owners[parseInt(text, 10)];
      const last = text.slice(text.indexOf(":") + 1);
      return owner ? owner + (owner.includes("/") || ["notes", "concepts"].includes(owner) ? "/" : ".") + last : last;
    });
    const made = { ...first, patterns, names, stopped: new Set(first.stop.split(" ")) };
    for (const name of ["same", "modules", "variables", "functions"]) made[name] = new Map(first[name]);
    made.place = new Map(names.map((name, place) => [name, place]));
    return made;
  };

  /* ---- Words, as `conformance show` takes them. */
  const wordsOf = (text) => {
    const { word, split, size, endings, plural } = data.patterns;
    const said = (text.match(word) || []).filter((one) => !data.stopped.has(one.toLowerCase()));
    const found = said.flatMap((one) => [...one.split(split), one.replace(size, ""), one]).filter((part) => part.length > 1);
    const kept = unique(found.map((part) => part.toLowerCase())).filter((one) => !data.stopped.has(one));
    const stems = kept.map((one) => one.replace(plural, "y").replace(endings, "").replace(endings, ""));
    return unique(stems.map((stem) => data.same.get(stem) || stem));
  };
  const keyOf = (text) => {
    const line = text.trim().split("\n")[0].split(" (Triggered internally at")[0];
    return line.replace(data.patterns.dtype, " ").replace(/\b(?:N|DTYPE|PATH|ADDRESS)\b/g, " ").toLowerCase().match(/[a-z_]{2,}/g) || [];
  };
  const withoutClass = (text) => {
    const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
    const found = lines.map((line) => /(?:^|\s)(?:[\w.]+\.)?\w*(?:Error|Warning|Exception)\s*:\s+(.*)$/.exec(line)).filter(Boolean);
    return found.length ? found[found.length - 1][1] : lines[0] || "";
  };

  /* ---- How near a question is to documents: parts of each, with how much a word there counts. */
  const nearest = (asked, documents, least, favours = new Map()) => {
    if (!asked.length) return [];
    const counts = new Map();
    documents.forEach((parts) => {
      for (const word of new Set(parts.flatMap(([, words]) => words))) counts.set(word, (counts.get(word) || 0) + 1);
    });
    const rarest = Math.log(1 + documents.length);
    const tells = new Map(asked.map((word) => [word, counts.has(word) ? Math.log(1 + documents.length / counts.get(word)) : UNSEEN * rarest]));
    const most = [...tells.values()].reduce((sum, one) => sum + one, 0) || 1;
    const shares = documents.map((parts) => {
      const best = new Map();
      for (const [weight, words] of parts) {
        const whole = words.length > 1 && words.every((word) => tells.has(word));
        for (const word of words) {
          if (tells.has(word)) best.set(word, Math.max(best.get(word) || 0, whole ? weight * WHOLE : weight));
        }
      }
      return [...best].reduce((sum, [word, weight]) => sum + tells.get(word) * weight, 0) / most;
    });
    const top = Math.max(...shares, 0);
    return shares
      .map((share, place) => ({ place, score: share + (favours.get(place) || 0) * top }))
      .filter(({ place, score }) => score >= least || favours.has(place))
      .sort((one, other) => other.score - one.score || documents[one.place][0][1].length - documents[other.place][0][1].length);
  };

  /* ---- Names. */
  const SYMBOLS = { "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "@": "matmul", "**": "pow" };
  const spellings = (text) => {
    let code = text.trim().replace(/^[`@]+|[`?;:,]+$/g, "").replace(/^>>>\s*/, "");
    const augmented = /^(?:\w*\s*)([-+*/@]{1,2})=/.exec(code);
    if (augmented && SYMBOLS[augmented[1]]) return [`torch.Tensor.__i${SYMBOLS[augmented[1]]}__`];
    if (/^(?:\w+\s*)?\[.*\]\s*=(?!=)/.test(code)) return ["torch.Tensor.__setitem__"];
    if (/^(?:\w+\s*)?\[.*\]$/.test(code)) return ["torch.Tensor.__getitem__"];
    if (/==/.test(code)) return ["torch.Tensor.__eq__"];
    if (SYMBOLS[code]) return [`torch.Tensor.__${SYMBOLS[code]}__`];
    code = code.replace(/\(.*$/, "").replace(/\[.*$/, "");
    if (!/^\.?[A-Za-z_][\w.]*$/.test(code)) return [];
    code = code.replace(/^\./, "x.").replace(/\.$/, "");
    const first = code.split(".")[0], rest = code.slice(first.length + 1), last = code.slice(code.lastIndexOf(".") + 1);
    if (data.functions.has(code) && (rest || /\(/.test(text))) return [`torch.Tensor.${data.functions.get(code)}`, last];
    if (["np", "numpy"].includes(first) && rest) return [rest, "torch.Tensor.__array__"];
    if (!rest || first === "torch") return [code];
    if (data.modules.has(first)) return [`${data.modules.get(first)}.${rest}`, rest];
    return [...(/^[A-Z]/.test(first) ? [code] : []), `${data.variables.get(first) || "torch.Tensor"}.${last}`, last];
  };
  const endingIn = (spelling) => {
    const wanted = `.${spelling}`.toLowerCase();
    const found = data.names.flatMap((name, place) => (`.${name}`.toLowerCase().endsWith(wanted) ? [place] : []));
    return found.sort((one, other) => !data.names[one].endsWith(spelling) - !data.names[other].endsWith(spelling) || one - other);
  };
  const named = (text) => {
    for (const spelling of spellings(text)) {
      if (data.place.has(spelling)) return data.place.get(spelling);
      const [best] = endingIn(spelling);
      if (best !== undefined) return best;
    }
    return undefined;
  };
  const distance = (one, other, most) => {
    if (Math.abs(one.length - other.length) > most) return most + 1;
    let row = Array.from({ length: other.length + 1 }, (_, place) => place), before = [], before2;
    for (let i = 1; i <= one.length; i += 1) {
      [before2, before, row] = [before, row, [i]];
      for (let j = 1; j <= other.length; j += 1) {
        let value = Math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (one[i - 1] !== other[j - 1]));
        if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) value = Math.min(value, before2[j - 2] + 1);
        row.push(value);
      }
    }
    return row[other.length];
  };
  /* Returns the names that a text without spaces may be: in full, by its end, by its beginning, with letters wrong. */
  const namesOf = (text) => {
    const wanted = spellings(text);
    const exact = wanted.flatMap((one) => [...(data.place.has(one) ? [data.place.get(one)] : []), ...endingIn(one)]);
    const last = wanted.length ? wanted[wanted.length - 1].split(".").pop().toLowerCase() : "";
    const lasts = data.names.map((name) => name.slice(name.lastIndexOf(".") + 1).toLowerCase());
    const dotted = (wanted[0] || "").toLowerCase();
    const begin = last.length > 1 ? lasts.flatMap((one, place) => (one.startsWith(last) || data.names[place].toLowerCase().startsWith(`${dotted}.`) ? [place] : [])) : [];
    const inside = last.length > 2 ? lasts.flatMap((one, place) => (one.includes(last) ? [place] : [])) : [];
    const found = unique([...exact, ...begin, ...inside]);
    if (found.length || last.length < 4) return found;
    const allowed = last.length < 5 ? 1 : last.length < 9 ? 2 : 3;
    const near = lasts.map((one, place) => [distance(last, one, allowed), place]).filter(([far]) => far <= allowed);
    return near.sort((one, other) => one[0] - other[0] || one[1] - other[1]).map(([, place]) => place);
  };

  /* ---- Messages: a run of their words in a row is surer than words that both have. */
  const longestRun = (asked, words) => {
    let most = 0, row = [];
    for (const one of asked) {
      const next = words.map((word, place) => (word === one ? (place ? row[place - 1] || 0 : 0) + 1 : 0));
      most = Math.max(most, ...next);
      row = next;
    }
    return most;
  };
  const sureMessages = (text, messages) => {
    const asked = keyOf(withoutClass(text));
    const found = messages.map(({ keys }, place) => {
      const runs = keys.map((words) => {
        const run = longestRun(asked, words);
        const sure = run >= RUN || (run >= FEWEST_WORDS && (run === words.length || run === asked.length));
        return sure ? run + run / Math.max(words.length, 1) : 0;
      });
      return { place, score: Math.max(0, ...runs) };
    });
    return found.filter(({ score }) => score).sort((one, other) => other.score - one.score).map(({ place }) => place);
  };

  /* ---- The results for a text, as rows of groups. */
  const nameRow = (place) => {
    const name = data.names[place], last = name.slice(name.lastIndexOf(".") + 1);
    const [prefix, suffix] = data.address;
    const row = { kind: "name", name, href: `${prefix}${name}${/^[A-Z]/.test(last) ? "-class" : ""}${suffix}`, says: "", mark: "" };
    if (place < data.marked.length) return { ...row, says: data.says[place] || "", mark: data.marks[data.marked[place]] };
    if (!data.more) return row;
    const [wrong, all] = data.more.counts[place - data.marked.length];
    const mark = wrong ? `known|${wrong} of ${all} promises false somewhere` : `none|${all} promise${all === 1 ? "" : "s"}`;
    return { ...row, says: data.more.says[place - data.marked.length], mark };
  };
  const messageRow = ({ id, type, texts, doing, span }) => ({
    kind: "message", name: `${type}: ${texts[0]}`, href: `${data.address[2]}#${id}`, says: doing, mark: span ? `none|seen on ${span}` : "gap|□ not seen here",
  });
  const withoutVariables = (text) => text.replace(/(?<![\w.])([A-Za-z_]\w*)\.(?=[A-Za-z_])/g, (whole, first) =>
    (data.modules.has(first) || data.variables.has(first) || ["torch", "np", "numpy"].includes(first) ? whole : ""));
  const codeIn = (text) => (text.match(data.patterns.code) || []).map((one) => one.trim());
  const answersTo = (text) => {
    const favours = new Map();
    for (const piece of codeIn(text)) {
      const place = named(piece);
      if (place !== undefined && !favours.has(place)) {
        const weight = piece.replace("(", "") === data.names[place] ? OF_FULL_NAME : /^\w+$/.test(piece) ? OF_WORD : OF_CODE;
        favours.set(place, weight + OF_FIRST * (favours.size === 0));
      }
    }
    /* What people call their variables so is of a class: of model and optimizer the class is meant, too. */
    for (const word of text.match(/\b[a-z]\w+\b/g) || []) {
      const place = data.place.get(data.variables.get(word));
      if (place !== undefined && !favours.has(place)) favours.set(place, OF_WORD);
    }
    const documents = data.more ? [...data.answers, ...data.more.answers] : data.answers;
    /* Of an argument such as requires_grad=True only the whole is a word: the question is about something else. */
    const passed = [...text.matchAll(/\b(\w+)=(?!=)/g)].map(([, name]) => wordsOf(name).pop());
    const asked = unique([...wordsOf(withoutVariables(text.replace(/\b\w+=\w+/g, " "))), ...passed.filter(Boolean)]);
    const enough = nearest(asked, documents, LEAST, favours);
    const more = enough.length < MOST_OF_GROUP ? nearest(asked, documents, LEAST / 2).slice(0, MOST_OF_GROUP) : [];
    const found = unique([...enough, ...more].map(({ place }) => place));
    /* Of names that differ in their owner or an ending only, such as detach() and detach_(), the others stand below. */
    const shorts = found.map((place) => wordsOf(data.names[place].split(".").pop()).join(" "));
    const isTwin = (place, at) => shorts.indexOf(shorts[at]) !== at;
    return [...found.filter((place, at) => !isTwin(place, at)), ...found.filter(isTwin)];
  };
  const compared = (text) => {
    const sides = /^(?:.*\sbetween\s+)?(\S+)\s+(?:vs\.?|versus|or|and|against)\s+(\S+?)\??$/i.exec(text.trim());
    const places = sides ? [named(sides[1]), named(sides[2])] : [];
    return places.length === 2 && !places.includes(undefined) ? places : [];
  };
  const group = (asked, rows) => {
    const documents = rows.map(({ words }) => [[1, words]]);
    return nearest(asked, documents, LEAST_OF_MESSAGE).slice(0, MOST_OF_GROUP).map(({ place }) => rows[place]);
  };
  const search = (text) => {
    const asked = wordsOf(text);
    const isName = !/\s/.test(text.trim()) && namesOf(text).length > 0;
    const first = isName ? namesOf(text).slice(0, MOST).map(nameRow) : compared(text).map(nameRow);
    const sure = isName ? [] : sureMessages(text, data.messages).slice(0, 2);
    const like = isName || asked.length < FEWEST_WORDS ? [] : nearest(asked, data.messages.map(({ words }) => [[1, words]]), LEAST_OF_MESSAGE);
    const nearly = like.filter(({ score }) => score >= MOST_OF_MESSAGE && asked.length >= MANY_WORDS).map(({ place }) => place);
    const messages = unique([...sure, ...nearly]).slice(0, 2).map((place) => data.messages[place]);
    const led = messages.slice(0, 1).flatMap(({ names }) => names.slice(0, 3)).map(nameRow);
    const others = like.slice(0, 2).map(({ place }) => messageRow(data.messages[place]));
    const unwritten = messages.length || !data.errors || isName ? [] : sureMessages(text, data.errors).slice(0, 2).map((place) => data.errors[place]);
    const rows = [
      ...first,
      ...messages.map(messageRow),
      ...led,
      ...unwritten.map(({ texts, type, at }) => ({ ...nameRow(at), name: `${type}: ${texts[0]}`, kind: "message" })),
      ...answersTo(text).slice(0, MOST).map(nameRow),
      ...others,
    ];
    const known = new Set();
    const main = rows.filter(({ href, name }) => !known.has(href + name) && known.add(href + name)).slice(0, MOST);
    const groups = [["", main]];
    if (data.more) {
      groups.push(["False, though documented", group(asked, data.more.false)], ["Changed", group(asked, data.more.changes)], ["Other pages", group(asked, data.pages)]);
    }
    return groups.filter(([, found]) => found.length);
  };

  /* ---- Loading: names and answers first, then the rest. */
  let started = null;
  const start = (again) => {
    started = started || file("search-names").then(({ first: [first] }) => {
      data = opened(first);
      data.answers = decoded(first.stems, first.parts).map((parts, place) => {
        const name = data.names[place], last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf("/")) + 1);
        const phrases = parts.slice(0, -1).map((words) => [WEIGHTS.phrase, words]);
        const owner = name.slice(0, -last.length).replace("/", " ");
        return [[WEIGHTS.name, wordsOf(last)], ...phrases, [WEIGHTS.lines, parts[parts.length - 1]], [WEIGHTS.owner, wordsOf(owner)]];
      });
      data.messages = first.messages.map(([id, type, texts, doing, span, names]) =>
        ({ id, type, texts, doing, span, names, keys: texts.map(keyOf), words: wordsOf(texts.join(" ")) }));
    });
    return started.then(again);
  };
  let rest = null, errors = null;
  const startErrors = () => {
    errors = errors || file("search-errors").then(({ errors: [all] }) => {
      data.errors = all.errors.map(([type, text, at]) => ({ type, texts: [text], at, keys: [keyOf(text)] }));
    });
    return errors;
  };
  /* Messages that nobody wrote of are looked in only for what may be one of them. */
  const wantsErrors = (text) => /\s/.test(text.trim()) && keyOf(withoutClass(text)).length >= FEWEST_WORDS && !sureMessages(text, data.messages).length;
  const startRest = () => {
    rest = rest || Promise.all([file("search-more"), file("search-pages")]).then(([{ more: [more] }, { pages: [written] }]) => {
      more.answers = decoded(more.stems, more.parts).map(([words], place) => {
        const name = data.names[data.marked.length + place];
        return [[WEIGHTS.name, wordsOf(name.slice(name.lastIndexOf(".") + 1))], [WEIGHTS.claims, words]];
      });
      more.false = more.false.map(([name, subjects, harm, href]) => ({ kind: "false", name, href, says: subjects, mark: `bad|${harm}`, words: wordsOf(`${name} ${subjects}`) }));
      const pages = new Map(more.releases);
      more.changes = more.changes.map(([name, release, harm, id, names]) => ({ kind: "change", name, href: `${pages.get(release)}#${id}`, says: "", mark: `known|torch ${release} ${harm}`, words: wordsOf(`${name} ${names}`) }));
      data.pages = written.pages.map(([name, href, headings]) => ({ kind: "page", name, href, says: "", mark: "", words: wordsOf(`${name} ${headings}`) }));
      data.says.push(...more.lines);
      data.more = more;
    });
    return rest;
  };

  /* ---- The page. */
  const withCode = (name, text) => {
    const element = made(name);
    text.split("`").forEach((piece, place) => element.append(place % 2 ? made("code", piece) : piece));
    return element;
  };
  const row = ({ kind, name, href, says, mark }) => {
    const item = made("li");
    const link = made("a");
    link.href = root + href;
    link.append(kind === "name" ? made("code", name) : withCode("span", name));
    item.append(link);
    if (mark) {
      const [style, words] = mark.split("|");
      item.append(" ", made("span", words, `chip verdict-${style}`));
    }
    if (says) item.append(withCode("p", says));
    return item;
  };
  const show = (place, text) => {
    const asked = text.trim();
    place.classList.toggle("empty", !asked);
    if (!asked) { place.replaceChildren(); return; }
    const found = search(asked).map(([heading, rows]) => {
      const list = made("ol", undefined, "results");
      list.append(...rows.map(row));
      return heading ? [made("h2", heading), list] : [list];
    });
    const had = place.contains(document.activeElement);
    place.replaceChildren(...(found.length ? found.flat() : [made("p", "Nothing is known of that. Try a name, a message as it is printed, or fewer words.", "missing")]));
    if (had && place.querySelector("a")) place.querySelector("a").focus(); // what is loaded later takes no focus away
  };
  const box = document.querySelector("input.ask");
  const place = document.getElementById("found");
  if (box && place) {
    const pause = () => new Promise((go) => { setTimeout(go, PAUSE); });
    const update = async () => {
      const text = box.value;
      const again = () => show(place, box.value);
      /* Who still types has no message yet. */
      const withErrors = () => (text === box.value && wantsErrors(text) ? startErrors().then(again) : null);
      start(again).then(startRest).then(again).then(pause).then(withErrors).catch(() => place.replaceChildren(made("p", "The search could not be loaded.", "missing")));
    };
    box.addEventListener("input", update);
    box.form.addEventListener("submit", (event) => { event.preventDefault(); const link = place.querySelector("a"); if (link) link.focus(); });
    const given = new URLSearchParams(location.search).get("q");
    if (given) { box.value = given; update(); }
  }
  window.conformance.search = async (text) => {
    await start(() => {});
    await startRest();
    if (wantsErrors(text)) await startErrors();
    return search(text);
  };
  window.conformance.wordsOf = (text) => wordsOf(text);
});
