const [rules, done] = arguments;
axe.run(document, { runOnly: rules, resultTypes: ['violations'] })
  .then((found) => done(found.violations.map((violation) =>
    violation.id + ': ' + violation.help + '\n' + violation.nodes.slice(0, 3).map((node) =>
      '    ' + node.target.flat().join(' ') + '  ' + node.failureSummary.split('\n').join(' ')).join('\n'))))
  .catch((error) => done([String(error)]));
