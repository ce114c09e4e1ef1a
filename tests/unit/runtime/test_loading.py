from __future__ import annotations

import gc
import threading
import weakref

from contextd.runtime.gc_pause import building


class Ring:
    def __init__(self) -> None:
        self.itself = self


def is_old(one: object) -> bool:
    return any(other is one for other in gc.get_objects(generation=2))


def test_objects_made_while_loading_leave_the_garbage_collection_and_dropped_ones_are_freed():
    with building():
        assert not gc.isenabled()
        stays, goes = Ring(), Ring()
        assert not is_old(stays)
    assert gc.isenabled()
    assert is_old(stays)
    gone = weakref.ref(goes)
    del goes
    gc.collect()
    assert gone() is None
    assert stays.itself is stays


def test_garbage_is_looked_for_again_once_the_last_of_several_is_through():
    inside, over = threading.Event(), threading.Event()

    def other() -> None:
        with building():
            inside.set()
            over.wait(60)

    thread = threading.Thread(target=other)
    with building():
        thread.start()
        assert inside.wait(60)
    assert not gc.isenabled()
    over.set()
    thread.join()
    assert gc.isenabled()


def test_who_switched_it_off_before_keeps_it_off():
    gc.disable()
    try:
        with building():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
