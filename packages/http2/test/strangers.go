// Sends requests to a URL with Go's net/http, all at the same time. Arguments: the URL, the number of requests, and the
// bytes of each body. Prints how many responses were 204.
package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	url := os.Args[1]
	requests, _ := strconv.Atoi(os.Args[2])
	size, _ := strconv.Atoi(os.Args[3])
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	protocols.SetHTTP2(true)
	client := http.Client{Transport: &http.Transport{
		Protocols:       protocols,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	body := bytes.Repeat([]byte("x"), size)
	var answered atomic.Int64
	var all sync.WaitGroup
	for range requests {
		all.Add(1)
		go func() {
			defer all.Done()
			response, err := client.Post(url, "text/plain", bytes.NewReader(body))
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode == 204 && response.ProtoMajor == 2 {
				answered.Add(1)
			}
		}()
	}
	all.Wait()
	fmt.Println(answered.Load())
}
