"""Benchmarks for asv: the history of upsample against itself."""
