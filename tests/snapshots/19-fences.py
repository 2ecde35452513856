```python
print("inside")
```
