"""What we run to make the corpus, the records and the pages; the commands of users import nothing of it."""
