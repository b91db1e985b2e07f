package main

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// written is the annotation with the time of a change, in microseconds.
const written = "example.com/written"

// many has so many readers of pods (READERS), each with connections of its own, and measures how late changes come. The
// first of them (INFORMERS) are informers. The others only read what comes, because decoding it for all would take more
// of the machine than what is measured. After each line of its input it prints what came since the line before.
func many(ctx context.Context, config *rest.Config, namespace string) error {
	readers, err := strconv.Atoi(os.Getenv("READERS"))
	if err != nil {
		return err
	}
	informing, err := strconv.Atoi(os.Getenv("INFORMERS"))
	if err != nil {
		return err
	}
	var bytes atomic.Int64
	var lock sync.Mutex
	var late []int64
	started := time.Now()
	for number := range readers {
		own := rest.CopyConfig(config)
		dialer := net.Dialer{}
		// A dialer of its own keeps client-go from sharing connections.
		own.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := dialer.DialContext(ctx, network, address)
			return counted{connection, &bytes}, err
		}
		client, err := kubernetes.NewForConfig(own)
		if err != nil {
			return err
		}
		if number >= informing {
			if err := drain(ctx, client, namespace); err != nil {
				return err
			}
			continue
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
		_, err = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			UpdateFunc: func(_, after any) {
				now := time.Now().UnixMicro()
				at, err := strconv.ParseInt(after.(*corev1.Pod).Annotations[written], 10, 64)
				if err == nil {
					lock.Lock()
					late = append(late, now-at)
					lock.Unlock()
				}
			},
		})
		if err != nil {
			return err
		}
		factory.StartWithContext(ctx)
		factory.WaitForCacheSync(ctx.Done())
	}
	print(map[string]any{"event": "SYNCED", "kind": "pods", "ms": time.Since(started).Milliseconds()})
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		lock.Lock()
		print(map[string]any{"late_us": late, "bytes": bytes.Load()})
		late = nil
		lock.Unlock()
	}
	return nil
}

// drain asks for what an informer asks for, and reads it without looking at it.
func drain(ctx context.Context, client kubernetes.Interface, namespace string) error {
	request := client.CoreV1().RESTClient().Get().UseProtobufAsDefault().Namespace(namespace).Resource("pods")
	for name, value := range map[string]string{
		"watch":                "true",
		"sendInitialEvents":    "true",
		"resourceVersionMatch": "NotOlderThan",
		"allowWatchBookmarks":  "true",
	} {
		request = request.Param(name, value)
	}
	stream, err := request.Stream(ctx)
	if err != nil {
		return err
	}
	go func() {
		_, err := io.Copy(io.Discard, stream)
		log.Fatal("a watch has ended: ", err)
	}()
	return nil
}

// counted counts what is read from a connection.
type counted struct {
	net.Conn
	bytes *atomic.Int64
}

func (connection counted) Read(into []byte) (int, error) {
	count, err := connection.Conn.Read(into)
	connection.bytes.Add(int64(count))
	return count, err
}
