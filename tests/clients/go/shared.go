package main

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// shared has one informer of each kind for the whole program. Listers read what the informers hold.
func shared(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	kinds := map[string]cache.SharedIndexInformer{
		"pods":        factory.Core().V1().Pods().Informer(),
		"configmaps":  factory.Core().V1().ConfigMaps().Informer(),
		"deployments": factory.Apps().V1().Deployments().Informer(),
	}
	for kind, informer := range kinds {
		if _, err := informer.AddEventHandler(handler(kind)); err != nil {
			return err
		}
	}
	factory.StartWithContext(ctx)
	for _, isSynced := range factory.WaitForCacheSync(ctx.Done()) {
		if !isSynced {
			return ctx.Err()
		}
	}
	for kind := range kinds {
		said("SYNCED", kind)
	}
	<-ctx.Done()
	return nil
}
