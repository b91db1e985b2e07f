package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// selectors watches the pods that two selectors choose. A pod that they stop choosing is DELETED for this watch.
func selectors(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for {
		said("LISTING", "pods")
		// Without a resourceVersion a watch begins with an ADDED of each pod that there is.
		watcher, err := client.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{
			LabelSelector: "app in (cart, payment),!canary",
			FieldSelector: "status.phase=Running",
		})
		if err != nil {
			return err
		}
		said("SYNCED", "pods")
		for event := range watcher.ResultChan() {
			if event.Type == watch.Error {
				break
			}
			saw(string(event.Type), "pods", event.Object.(*corev1.Pod))
		}
		watcher.Stop()
	}
}
