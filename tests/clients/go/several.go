package main

import (
	"context"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// several follows three kinds at once, each with an informer's own list and watch, in one channel.
func several(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	kinds := map[string]struct {
		client  cache.Getter
		example runtime.Object
	}{
		"pods":        {client.CoreV1().RESTClient(), &corev1.Pod{}},
		"configmaps":  {client.CoreV1().RESTClient(), &corev1.ConfigMap{}},
		"deployments": {client.AppsV1().RESTClient(), &appsv1.Deployment{}},
	}
	group, ctx := errgroup.WithContext(ctx)
	for kind, of := range kinds {
		group.Go(func() error {
			source := cache.NewListWatchFromClient(of.client, kind, namespace, fields.Everything())
			_, _, events, done := watchtools.NewIndexerInformerWatcher(source, of.example)
			for {
				select {
				case event := <-events.ResultChan():
					object, err := meta.Accessor(event.Object)
					if err != nil || event.Type == watch.Error {
						return err
					}
					saw(string(event.Type), kind, object)
				case <-done:
					return ctx.Err()
				}
			}
		})
	}
	return group.Wait()
}
