const ID = "backstage.io/kubernetes-id";
const LABEL_SELECTOR = "backstage.io/kubernetes-label-selector";
const NAMESPACE = "backstage.io/kubernetes-namespace";

const annotation = (entity, name) => entity.metadata.annotations?.[name];

/** Whether the entity says which objects of a cluster are its own. */
export function isInCluster(entity) {
  return [ID, LABEL_SELECTOR].some((name) => annotation(entity, name));
}

/** The attributes of an element that shows the entity's objects. As in Backstage, a selector counts more than an id. */
export function selectionOf(entity) {
  return {
    labelSelector: annotation(entity, LABEL_SELECTOR) ?? `${ID}=${annotation(entity, ID)}`,
    namespaces: annotation(entity, NAMESPACE) ?? "*",
  };
}
