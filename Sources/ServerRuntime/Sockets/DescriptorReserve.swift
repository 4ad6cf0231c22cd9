import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// File descriptors that are kept open for one listener. When the process has no others left, closing one of them lets the listener accept
/// a connection (rule CO-7). May be used from any thread.
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

    /// The number of descriptors that are in reserve now.
    var count: Int { descriptors.withLockedValue(\.count) }

    var isFull: Bool { descriptors.withLockedValue { $0.count >= capacity } }

    /// Opens descriptors until the reserve is full or the process's limit is reached.
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

    /// Closes one descriptor of the reserve; returns false when the reserve is empty.
    func release() -> Bool {
        guard let descriptor = descriptors.withLockedValue({ $0.popLast() }) else { return false }
        close(descriptor)
        return true
    }
}
