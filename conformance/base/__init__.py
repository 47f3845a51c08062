"""What the other packages stand on: text, files, the cache, releases of torch, and worker processes."""
