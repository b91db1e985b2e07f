package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// controller is the pattern of every controller, for one that only reads: an informer queues the key of what changed,
// and a worker looks at the object as it is by then.
func controller(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 30*time.Second, informers.WithNamespace(namespace))
	informer := factory.Core().V1().Pods().Informer()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer queue.ShutDown()
	enqueue := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			queue.Add(key)
		}
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, after any) { enqueue(after) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSync(ctx.Done())
	said("SYNCED", "pods")
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return nil
		}
		object, exists, err := informer.GetIndexer().GetByKey(key)
		switch {
		case err != nil:
			queue.AddRateLimited(key)
		case exists:
			saw("RECONCILED", "pods", object.(*corev1.Pod))
			queue.Forget(key)
		default:
			gone("pods", key)
			queue.Forget(key)
		}
		queue.Done(key)
	}
}
