package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// retry lists config maps and leaves it to client-go's RetryWatcher to go on after each end of the watch.
func retry(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	watcher := &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return maps.Watch(ctx, options)
		},
	}
	for {
		said("LISTING", "configmaps")
		list, err := maps.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, one := range list.Items {
			saw("LISTED", "configmaps", &one)
		}
		said("SYNCED", "configmaps")
		events, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, watcher)
		if err != nil {
			return err
		}
		// It ends where the maps have to be listed again.
		for event := range events.ResultChan() {
			if one, ok := event.Object.(*corev1.ConfigMap); ok && event.Type != watch.Bookmark {
				saw(string(event.Type), "configmaps", one)
			}
		}
	}
}
