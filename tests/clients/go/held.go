package main

import (
	"bufio"
	"cmp"
	"context"
	"os"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// held is an informer of config maps, or of the KIND of the environment, that prints all that it holds after each line of its input.
func held(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var events atomic.Int64
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	kind := cmp.Or(os.Getenv("KIND"), "configmaps")
	generic, err := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: kind})
	if err != nil {
		return err
	}
	informer := generic.Informer()
	count := func() { events.Add(1) }
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { count() },
		UpdateFunc: func(any, any) { count() },
		DeleteFunc: func(any) { count() },
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSync(ctx.Done())
	said("SYNCED", kind)
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		versions := map[string]string{}
		for _, object := range informer.GetStore().List() {
			one := object.(metav1.Object)
			versions[one.GetName()] = one.GetResourceVersion()
		}
		print(map[string]any{"events": events.Load(), "held": versions})
	}
	return nil
}
