import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// File descriptors that are kept open for one listener, so that it can accept connections when the process has no others left
/// (rule CO-7). May be used from any thread.
final class DescriptorReserve: Sendable {
    private let descriptors = NIOLockedValueBox<[CInt]>([])
    private let capacity: Int

    init(_ capacity: Int) {
        self.capacity = capacity
        fill()
    }

    deinit {
        for descriptor in descriptors.withLockedValue({ $0 }) { close(descriptor) }
    }

    /// The number of reserved descriptors.
    var count: Int { descriptors.withLockedValue(\.count) }

    var isFull: Bool { descriptors.withLockedValue { $0.count >= capacity } }

    /// Opens the missing descriptors, as far as the process's limit allows.
    func fill() {
        guard capacity > 0 else { return }
        descriptors.withLockedValue { descriptors in
            while descriptors.count < capacity {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return }
                descriptors.append(descriptor)
            }
        }
    }

    /// Closes one of the descriptors; returns false when there is none.
    func release() -> Bool {
        guard let descriptor = descriptors.withLockedValue({ $0.popLast() }) else { return false }
        close(descriptor)
        return true
    }
}
