"""Memory tracker: numbers, scopes, limit, events by callable and queue, pinning of callables."""

import gc
import sys
import threading
import time
import unittest
import weakref

import ckpt


class Tracker(unittest.TestCase):
    def test_numbers(self):
        with ckpt.MemoryTracker() as tracker:
            first = tracker.record_allocation("a", 100)
            layer = tracker.add_layer("b")
            tracker.record_allocation(layer, 50)
            tracker.record_deallocation(first)
            stats = tracker.stats()
            self.assertEqual((stats.current_bytes, stats.peak_bytes, stats.allocations, stats.frees), (50, 150, 2, 1))
            self.assertEqual(tracker.layer_stats("a").peak_bytes, 100)
            self.assertEqual(tracker.layer_stats(layer).name, "b")
            self.assertEqual(tracker.layer_name(layer), "b")
            self.assertEqual((tracker.find_layer("b"), tracker.find_layer("none")), (layer, None))
            self.assertEqual([a.bytes for a in tracker.live_allocations()], [50])
            snapshot = tracker.snapshot(ckpt.MemoryOrder.CURRENT)
            self.assertEqual([entry.name for entry in snapshot.layers], ["b", "a"])
            self.assertEqual(snapshot.stats.layer_count, 2)
            self.assertEqual(tracker.savings(200), (150, 0.75))
            self.assertEqual(tracker.report()["current_bytes"], 50)
            self.assertIn("ckpt_memory_peak_bytes", tracker.prometheus())
            self.assertEqual(tracker.free_layer("b"), 1)
            tracker.reset_stats()
            self.assertEqual(tracker.stats().peak_bytes, 0)
            with self.assertRaises(ckpt.NotFoundError):
                tracker.record_deallocation(first)

    def test_many_layers(self):
        with ckpt.MemoryTracker() as tracker:
            for i in range(300):
                tracker.record_allocation(f"layer.{i}", i + 1)
            self.assertEqual(len(tracker.snapshot().layers), 300)
            self.assertEqual(len(tracker.live_allocations()), 300)

    def test_scopes(self):
        with ckpt.MemoryTracker() as tracker, tracker.scope("step") as scope:
            tracker.record_allocation("a", 10)
            self.assertEqual(scope.stats().net_bytes, 10)
            with tracker.scope("inner") as inner:
                tracker.record_allocation("a", 5)
            self.assertEqual(inner.stats().peak_bytes, 15)

    def test_limit(self):
        with ckpt.MemoryTracker() as tracker:
            self.assertIsNone(tracker.limit)
            tracker.set_limit(100, 10)
            self.assertEqual(tracker.limit, (100, 10))
            self.assertIsNotNone(tracker.try_reserve("a", 90))
            self.assertIsNone(tracker.try_reserve("a", 20))
            self.assertEqual(tracker.stats().refused, 1)
            tracker.clear_limit()
            self.assertIsNone(tracker.limit)

    def test_clock_and_probe(self):
        clock = ckpt.Clock(7)
        with ckpt.MemoryTracker(clock=clock) as tracker:
            clock.close()
            tracker.record_allocation("a", 1)
            self.assertEqual(tracker.layer_stats("a").last_allocated_at_ns, 7)
        self.assertGreater(ckpt.probe_memory().total_bytes, 0)


class Events(unittest.TestCase):
    def test_values(self):
        received = []
        with ckpt.MemoryTracker() as tracker:
            tracker.set_limit(50)
            with tracker.subscribe(received.append):
                tracker.record_allocation("a", 60)
            tracker.record_allocation("a", 1)
        kinds = [event.kind for event in received]
        self.assertEqual(kinds, [ckpt.MemoryEventKind.ALLOCATED, ckpt.MemoryEventKind.NEW_PEAK, ckpt.MemoryEventKind.LIMIT_EXCEEDED])
        self.assertEqual((received[0].layer_name, received[0].bytes, received[2].limit_bytes), ("a", 60, 50))

    def test_queue(self):
        with ckpt.MemoryTracker() as tracker:
            queue = tracker.subscribe_queue(1, ckpt.MemoryEventKind.ALLOCATED)
            tracker.record_allocation("a", 1)
            tracker.record_allocation("a", 2)
            self.assertEqual(queue.poll().bytes, 1)
            self.assertIsNone(queue.poll())
            self.assertEqual(queue.dropped, 1)
            tracker.enable_events(False)
            tracker.set_peak_granularity(10)
            tracker.record_allocation("a", 3)
            self.assertIsNone(queue.poll())
            queue.unsubscribe()
            with self.assertRaises(ckpt.NotFoundError):
                queue.poll()

    def test_listener_stays_when_every_reference_is_dropped(self):
        class Listener:
            count = 0

            def __call__(self, event):
                Listener.count += 1

        listener = Listener()
        alive = weakref.ref(listener)
        tracker = ckpt.MemoryTracker()
        tracker.subscribe(listener, ckpt.MemoryEventKind.ALLOCATED)
        del listener
        gc.collect()
        for _ in range(1000):
            tracker.record_allocation("a", 1)
        self.assertEqual(Listener.count, 1000)
        self.assertIsNotNone(alive())
        tracker.close()
        gc.collect()
        self.assertIsNone(alive())

    def test_exception_is_counted_and_reported(self):
        seen = []
        before, sys.unraisablehook = sys.unraisablehook, lambda u: seen.append(str(u.exc_value))
        try:
            with ckpt.MemoryTracker() as tracker:
                tracker.peak_memory_exceeded(lambda event: 1 / 0)
                tracker.memory_limit_exceeded(lambda event: None)
                tracker.record_allocation("a", 1)
                self.assertEqual(tracker.stats().handler_failures, 1)
        finally:
            sys.unraisablehook = before
        self.assertEqual(seen, ["division by zero"])

    def test_an_event_without_a_layer_and_its_time(self):
        received = []
        with ckpt.MemoryTracker(clock=ckpt.Clock(7)) as tracker:
            queue = tracker.subscribe_queue(8, ckpt.MemoryEventKind.LIMIT_EXCEEDED)
            tracker.subscribe(received.append, ckpt.MemoryEventKind.ALLOCATED | ckpt.MemoryEventKind.LIMIT_EXCEEDED)
            tracker.record_allocation("a", 10)
            tracker.set_limit(5)
            self.assertEqual([event.kind.name for event in received], ["ALLOCATED", "LIMIT_EXCEEDED"])
            self.assertEqual([(event.layer_name, event.layer_id) for event in received], [("a", 0), ("", None)])
            self.assertEqual(queue.poll(), received[1])
            self.assertIsNone(queue.poll())
            stats = tracker.layer_stats("a")
            self.assertEqual((received[0].occurred_at_ns, stats.last_allocated_at_ns, stats.last_freed_utc_ns), (7, 7, 0))
            for utc in (received[0].occurred_utc_ns, stats.last_allocated_utc_ns, tracker.stats().taken_utc_ns):
                self.assertLess(abs(utc - time.time_ns()), 60 * 10**9)

    def test_many_callbacks_leave_memory_flat(self):
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        with ckpt.MemoryTracker() as tracker:
            tracker.subscribe(lambda event: None)
            layer = tracker.add_layer("a")
            for rounds in range(6):  # 10^6 events and more
                for _ in range(100000):
                    tracker.record_deallocation(tracker.record_allocation(layer, 8))
                if rounds == 0:
                    gc.collect()
                    start = resident()
            self.assertLess(resident() - start, 4 << 20)

    def test_four_threads_record_by_name(self):
        names = [f"layer{number}" for number in range(10000)]

        def record():
            for name in names:
                tracker.record_allocation(name, 8)

        with ckpt.MemoryTracker() as tracker:
            workers = [threading.Thread(target=record) for _ in range(4)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            stats = tracker.stats()
            self.assertEqual((stats.layer_count, stats.allocations), (10000, 40000))
            for name in (names[0], names[-1]):
                self.assertEqual(tracker.layer_stats(name).current_bytes, 32)

    def test_a_closed_tracker_refers_to_no_names(self):
        class Name(str):
            pass

        name = Name("a")
        weak = weakref.ref(name)
        tracker = ckpt.MemoryTracker()
        tracker.record_allocation(name, 8)
        del name
        gc.collect()
        self.assertIsNotNone(weak(), "recording by name keeps the name")
        tracker.close()
        gc.collect()
        self.assertIsNone(weak())
        with self.assertRaises(ckpt.InvalidStateError):
            tracker.record_allocation("a", 8)

    def test_unsubscribe_while_threads_are_inside(self):
        with ckpt.MemoryTracker() as tracker:
            subscription = tracker.subscribe(lambda event: None)
            workers = [threading.Thread(target=lambda: [tracker.record_allocation("a", 1) for _ in range(2000)]) for _ in range(3)]
            for worker in workers:
                worker.start()
            subscription.unsubscribe()
            for worker in workers:
                worker.join()
            self.assertEqual(tracker.stats().allocations, 6000)

    def test_tracker_closed_inside_its_own_event(self):
        tracker = ckpt.MemoryTracker()
        tracker.subscribe(lambda event: tracker.close(), ckpt.MemoryEventKind.ALLOCATED)
        tracker.record_allocation("a", 1)
        self.assertTrue(tracker.closed)


if __name__ == "__main__":
    unittest.main()
