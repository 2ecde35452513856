"""statsmodels: a regression by formula, and a forecast."""

from importlib.metadata import version

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.tsa.arima.model import ARIMA

random = np.random.default_rng(0)
x = np.linspace(0, 10, 200)
frame = pd.DataFrame({"x": x, "y": 2 * x + 1 + random.normal(0, 0.1, x.size)})
fit = smf.ols("y ~ x", frame).fit()
assert abs(fit.params["x"] - 2) < 0.01 and fit.rsquared > 0.99
assert "R-squared" in str(fit.summary())
logit = sm.Logit(
    (frame["x"] > 5).sample(frac=1, random_state=1), sm.add_constant(random.random(200))
)
assert logit.fit(disp=0).mle_retvals["converged"]
walk = np.cumsum(random.normal(1, 0.1, 100))
forecast = ARIMA(walk, order=(0, 1, 0), trend="t").fit().forecast(3)
assert np.allclose(forecast - walk[-1], [1, 2, 3], atol=0.2)

print("ok", "statsmodels", version("statsmodels"))
