import Glibc

// Loads a server through the engine, for the script `transport`: each mode
// prints its rate, the processor's seconds and the peak of memory in bytes.
//
//     requests URL COUNT CONCURRENCY             GETs, each response in memory and let go
//     pool URL COUNT CONCURRENCY                 the same, not from the transport's own thread
//     batch URL COUNT CONCURRENCY run|events     the same as a batch made while it runs
//     disk URL FILE 1                            one download to a file; the rate is in MB/s

let arguments = CommandLine.arguments
switch arguments.count > 1 ? arguments[1] : "" {
case "requests", "pool": await RequestLoad(arguments)?.run() ?? usage()
case "batch": await BatchLoad(arguments)?.run() ?? usage()
case "disk": await DiskLoad(arguments)?.run() ?? usage()
default: usage()
}

func usage() {
    print("usage: LoadBenchmark requests|pool|batch|disk URL …; see its source")
    exit(2)
}
