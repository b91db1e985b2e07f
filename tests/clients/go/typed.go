package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// typed lists pods, watches them from there on, and goes on from the last resourceVersion whenever the watch ends.
func typed(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pods := client.CoreV1().Pods(namespace)
	for {
		said("LISTING", "pods")
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, pod := range list.Items {
			saw("LISTED", "pods", &pod)
		}
		said("SYNCED", "pods")
		for version := list.ResourceVersion; version != ""; {
			version, err = watchFrom(ctx, client, namespace, version)
			if err != nil {
				return err
			}
		}
	}
}

// watchFrom returns the last resourceVersion when the watch ends, or nothing where the pods have to be listed again.
func watchFrom(ctx context.Context, client kubernetes.Interface, namespace, version string) (string, error) {
	seconds := int64(2)
	watcher, err := client.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{
		ResourceVersion:     version,
		AllowWatchBookmarks: true,
		TimeoutSeconds:      &seconds,
	})
	if err != nil {
		return "", err
	}
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		switch object := event.Object.(type) {
		case *corev1.Pod:
			version = object.ResourceVersion
			if event.Type != watch.Bookmark {
				saw(string(event.Type), "pods", object)
			}
		case *metav1.Status:
			// 410: what followed isn't known any more.
			return "", nil
		}
	}
	return version, nil
}
