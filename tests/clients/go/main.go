// Programs that read a cluster in the ways that tutorials show, for the tests and for docs/CLIENT-PROGRAMS.md. Each gets a
// kubeconfig and a namespace, prints what it saw, one JSON object a line, and never writes to the cluster.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type way func(ctx context.Context, config *rest.Config, namespace string) error

var ways = map[string]way{
	"controller":       controller,
	"controller-cache": controllerRuntime,
	"dynamic":          dynamicWatch,
	"dynamic-informer": dynamicInformer,
	"held":             held,
	"many":             many,
	"metadata":         metadataInformer,
	"retry":            retry,
	"selectors":        selectors,
	"several":          several,
	"shared":           shared,
	"typed":            typed,
}

func main() {
	if len(os.Args) != 4 || ways[os.Args[1]] == nil {
		log.Fatal("usage: clients WAY KUBECONFIG NAMESPACE")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	// The limit of client-go's own is for those who write.
	config.QPS = -1
	if os.Getenv("PROTOBUF") != "" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	if err := ways[os.Args[1]](context.Background(), config, os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

var printing sync.Mutex

func print(line any) {
	text, err := json.Marshal(line)
	if err != nil {
		log.Fatal(err)
	}
	printing.Lock()
	defer printing.Unlock()
	fmt.Println(string(text))
}

// saw prints an event and the object that it is about.
func saw(event, kind string, object metav1.Object) {
	print(map[string]string{
		"event":   event,
		"kind":    kind,
		"key":     object.GetNamespace() + "/" + object.GetName(),
		"version": object.GetResourceVersion(),
	})
}

// gone prints that an object of this key isn't there.
func gone(kind, key string) {
	print(map[string]string{"event": "GONE", "kind": kind, "key": key})
}

// said prints an event of a whole kind: LISTING, SYNCED.
func said(event, kind string) {
	print(map[string]string{"event": event, "kind": kind})
}
