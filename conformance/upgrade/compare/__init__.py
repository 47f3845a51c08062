"""What two records of torch say otherwise: claims and trials, each difference with the harm that it can do."""
