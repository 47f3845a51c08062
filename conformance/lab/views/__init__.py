"""What result files show, derived once; terminal, pages and reports render these views. Nothing here needs torch."""
