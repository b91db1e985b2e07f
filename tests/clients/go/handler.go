package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// handler prints what an informer tells. An object whose deletion it missed has a DeletedFinalStateUnknown in its place.
func handler(kind string) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { saw("ADDED", kind, object.(metav1.Object)) },
		UpdateFunc: func(before, after any) {
			// A resync repeats what is there.
			if before.(metav1.Object).GetResourceVersion() != after.(metav1.Object).GetResourceVersion() {
				saw("MODIFIED", kind, after.(metav1.Object))
			}
		},
		DeleteFunc: func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				gone(kind, unknown.Key)
				return
			}
			saw("DELETED", kind, object.(metav1.Object))
		},
	}
}
