```python
print("inside")
```
# | inside
# | [note: markdown fences around the code were ignored]
