"""Both runtimes: notes that explain an error, and the tables of names behind them."""
