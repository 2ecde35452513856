# it says on stderr that it has no network
import yfinance

try:
    table = yfinance.Ticker("MSFT").history(period="1d")
    assert table.empty
except Exception as error:
    print("no data:", type(error).__name__)
print("ok")
