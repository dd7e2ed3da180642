// SPDX-License-Identifier: Apache-2.0

// Swift's Embedded runtime does not free an object whose initializer throws before all properties are set.

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

// The Swift function behind it, which Swift 6.2 calls.
__typeof__(swift_deallocPartialClassInstance) deallocate __asm__(
    "$es33swift_deallocPartialClassInstance6object8metadata13allocatedSize0H9AlignMaskyBp_BpS2itF"
) __attribute__((alias("swift_deallocPartialClassInstance")));

// Called for an object of which nothing is set yet; Swift 6.2's Embedded runtime does not have it.
void swift_deallocUninitializedObject(struct object *object, size_t size, size_t alignment);

void swift_deallocUninitializedObject(struct object *object, size_t size, size_t alignment) {
    (void)size, (void)alignment;
    if (object->reference_count >= 0) free(object);
}
