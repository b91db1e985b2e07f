package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// dynamicWatch reads a custom kind without its Go types.
func dynamicWatch(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	for {
		said("LISTING", "widgets")
		list, err := client.Resource(widgets).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, widget := range list.Items {
			saw("LISTED", "widgets", &widget)
		}
		said("SYNCED", "widgets")
		from := metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}
		watcher, err := client.Resource(widgets).Namespace(namespace).Watch(ctx, from)
		if err != nil {
			return err
		}
		for event := range watcher.ResultChan() {
			if event.Type == watch.Error {
				break
			}
			saw(string(event.Type), "widgets", event.Object.(*unstructured.Unstructured))
		}
		watcher.Stop()
	}
}

// dynamicInformer holds a custom kind without its Go types.
func dynamicInformer(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	if _, err := factory.ForResource(widgets).Informer().AddEventHandler(handler("widgets")); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	said("SYNCED", "widgets")
	<-ctx.Done()
	return nil
}

// metadataInformer holds the metadata of a kind alone. That is enough for a program that patches what it finds.
func metadataInformer(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil)
	maps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	if _, err := factory.ForResource(maps).Informer().AddEventHandler(handler("configmaps")); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	said("SYNCED", "configmaps")
	<-ctx.Done()
	return nil
}
