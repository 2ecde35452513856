"""Native runtime only: captures matplotlib's figures as PNG and describes them in text."""
