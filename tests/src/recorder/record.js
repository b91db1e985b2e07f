if (window.stopRecording) window.stopRecording();
const seen = window.seen = { pills: [], words: [], rows: Infinity };
const note = (list, text) => { if (text && list[list.length - 1] !== text) list.push(text); };
// A countdown is one sentence, not one a second.
const still = (text) => text.replace(/ \S+ try (now|in [^.]+)\./, '');
const look = () => {
  note(seen.pills, shown('.pill-word'));
  note(seen.words, still(shown('.notice-text, .blank, [role=alert]')));
  seen.rows = Math.min(seen.rows, rows().length);
};
window.stopRecording = everyChange(look);
look();
