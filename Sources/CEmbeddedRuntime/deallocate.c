// SPDX-License-Identifier: Apache-2.0

// Swift 6.3's Embedded runtime does not free an object whose initializer throws before all properties are set.

#include <stdint.h>
#include <stdlib.h>

#define SELF __attribute__((swift_context))

// The metadata of a class, and what an object begins with, in Embedded Swift.
struct class {
    const struct class *superclass;
    void *destroy;
    __attribute__((swiftcall)) void (*destroy_properties)(SELF void *object);
};
struct object {
    const struct class *class;
    intptr_t reference_count;  // negative if the object is not on the heap
};

// Called for an object with the class whose initializer threw; the properties that this class has are destroyed already,
// those of subclasses not.
void swift_deallocPartialClassInstance(struct object *object, const struct class *class, size_t size, size_t alignment);

void swift_deallocPartialClassInstance(struct object *object, const struct class *class, size_t size, size_t alignment) {
    (void)size, (void)alignment;
    for (const struct class *subclass = object->class; subclass && subclass != class; subclass = subclass->superclass) {
        if (subclass->destroy_properties) subclass->destroy_properties(object);
    }
    if (object->reference_count >= 0) free(object);
}
