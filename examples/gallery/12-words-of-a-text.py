# Asked: How readable is this text, and what is it about?
import re
from collections import Counter

TEXT = """It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness,
it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of Darkness,
it was the spring of hope, it was the winter of despair, we had everything before us, we had nothing before us, we were
all going direct to Heaven, we were all going direct the other way."""

words = re.findall(r"[a-z']+", TEXT.lower())
sentences = [part for part in re.split(r"[.!?]+", TEXT) if part.strip()]
syllables = sum(max(1, len(re.findall(r"[aeiouy]+", word.removesuffix("e")))) for word in words)
ease = 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * syllables / len(words)
print(f"{len(words)} words, {len(set(words))} different, {len(sentences)} sentence, reading ease {ease:.0f}")
common = Counter(word for word in words if len(word) > 3)
for word, count in common.most_common(6):
    print(f"{word:8} {'█' * count} {count}")
pairs = Counter(zip(words, words[1:], words[2:]))
print("most often together:", [" ".join(three) for three, _ in pairs.most_common(2)])
