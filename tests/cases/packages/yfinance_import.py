#: runtime native
#: arguments {"timeout": 55}
import logging

import yfinance

logging.disable()
try:
    table = yfinance.Ticker("MSFT").history(period="1d")
except Exception:
    table = None
print(table is None or table.empty)
# | True
