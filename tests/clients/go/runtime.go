package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// controllerRuntime is a controller of controller-runtime that only reads: its cache holds one namespace, and a predicate
// lets through only changes of labels.
func controllerRuntime(ctx context.Context, config *rest.Config, namespace string) error {
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	reader := reader{manager.GetClient()}
	err = ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}, builder.WithPredicates(predicate.LabelChangedPredicate{})).
		Complete(reader)
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}

type reader struct{ client.Reader }

// Reconcile reads from the cache, so it asks the API server nothing.
func (reader reader) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var one corev1.ConfigMap
	err := reader.Get(ctx, request.NamespacedName, &one)
	switch {
	case errors.IsNotFound(err):
		gone("configmaps", request.String())
	case err == nil:
		saw("RECONCILED", "configmaps", &one)
	default:
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}
