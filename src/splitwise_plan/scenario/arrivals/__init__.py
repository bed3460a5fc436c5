"""How requests arrive over time: the keys, the process they mean, its times."""
