const everyChange = (call) => {
  const observers = [];
  const seen = new Set();
  const observe = (root) => {
    if (seen.has(root)) return;
    seen.add(root);
    const observer = new MutationObserver((changes) => {
      changes.forEach(({ addedNodes }) => addedNodes.forEach(findRoots));
      call();
    });
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    observers.push(observer);
    findRoots(root);
  };
  const findRoots = (node) => {
    if (node.shadowRoot) observe(node.shadowRoot);
    node.querySelectorAll?.('*').forEach((element) => { if (element.shadowRoot) observe(element.shadowRoot); });
  };
  observe(document);
  // A root that an element gets later changes nothing that an observer sees.
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init);
    observe(root);
    return root;
  };
  return () => {
    Element.prototype.attachShadow = attach;
    observers.forEach((observer) => observer.disconnect());
  };
};
