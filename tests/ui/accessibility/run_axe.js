const done = arguments[arguments.length - 1];
axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then((found) => done(found.violations.map((violation) =>
    violation.id + ': ' + violation.help + '\n' + violation.nodes.slice(0, 3).map((node) =>
      '    ' + node.target.flat().join(' ') + '  ' + node.failureSummary.split('\n').join(' ')).join('\n'))))
  .catch((error) => done([String(error)]));
