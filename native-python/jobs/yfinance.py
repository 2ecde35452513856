"""yfinance without a network: a ticker's history, answered from memory; the real client is made."""

import json
from importlib.metadata import version

import curl_cffi
import requests
import yfinance as yf
from requests.adapters import BaseAdapter

DAYS = [1709217000 + 86400 * day for day in range(5)]
CHART = {
    "chart": {
        "error": None,
        "result": [
            {
                "meta": {
                    "currency": "USD",
                    "symbol": "TEST",
                    "exchangeTimezoneName": "America/New_York",
                    "timezone": "EST",
                    "gmtoffset": -18000,
                    "instrumentType": "EQUITY",
                    "dataGranularity": "1d",
                    "range": "5d",
                    "validRanges": ["5d"],
                    "priceHint": 2,
                    "regularMarketTime": DAYS[-1],
                    "firstTradeDate": DAYS[0],
                    "currentTradingPeriod": {
                        part: {
                            "timezone": "EST",
                            "start": DAYS[-1],
                            "end": DAYS[-1] + 23400,
                            "gmtoffset": -18000,
                        }
                        for part in ("pre", "regular", "post")
                    },
                },
                "timestamp": DAYS,
                "indicators": {
                    "quote": [
                        {
                            "open": [10.0, 11, 12, 13, 14],
                            "high": [11.0, 12, 13, 14, 15],
                            "low": [9.0, 10, 11, 12, 13],
                            "close": [10.5, 11.5, 12.5, 13.5, 14.5],
                            "volume": [100, 200, 300, 400, 500],
                        }
                    ],
                    "adjclose": [{"adjclose": [10.5, 11.5, 12.5, 13.5, 14.5]}],
                },
                "events": {"dividends": {str(DAYS[2]): {"amount": 0.25, "date": DAYS[2]}}},
            }
        ],
    }
}


class FromMemory(BaseAdapter):
    """The chart for every address that asks for one, a word for the rest."""

    def send(self, request, **_options):
        """Nothing leaves the process."""
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = 200, request.url, request
        answer._content = json.dumps(CHART).encode() if "/chart/" in request.url else b"crumb"
        return answer

    def close(self):
        """Nothing is open."""


yf.set_tz_cache_location(".")
session = requests.Session()
session.mount("https://", FromMemory())
prices = yf.Ticker("TEST", session=session).history(period="5d", auto_adjust=False)
assert prices["Close"].tolist() == [10.5, 11.5, 12.5, 13.5, 14.5]
assert prices["Dividends"].sum() == 0.25 and prices["Volume"].max() == 500
assert str(prices.index.tz) == "America/New_York"

with curl_cffi.Session(impersonate="chrome") as client:
    try:
        client.get("http://127.0.0.1:1/", timeout=2)
    except curl_cffi.exceptions.RequestException as error:
        assert "curl" in str(error)
    else:
        raise AssertionError("connected to port 1")

print("ok", "yfinance", version("yfinance"))
