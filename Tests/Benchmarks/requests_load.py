"""What LoadBenchmark does, with Python requests: COUNT GETs of URL, CONCURRENCY threads with a session each."""
import resource, sys, threading, time
import requests

url, count, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def work(share):
    session = requests.Session()
    for _ in range(share):
        assert session.get(url).status_code == 200


threads = [threading.Thread(target=work, args=(count // concurrency,)) for _ in range(concurrency)]
start = time.perf_counter()
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
taken = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_SELF)
print(count // concurrency * concurrency / taken, time.process_time(), usage.ru_maxrss * 1024)
