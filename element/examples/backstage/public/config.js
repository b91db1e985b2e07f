// Your server writes this file, so that a page needs no build to know its gateway.
window.portal = { gateway: "http://localhost:8484", namespaces: ["shop", "payments"] };
