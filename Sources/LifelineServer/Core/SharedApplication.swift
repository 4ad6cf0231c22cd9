import RealtimeHub

/// An application that many connections refer to, so that each holds a pointer and not a copy.
final class SharedApplication: Sendable {
    let value: Application

    init(_ value: Application) {
        self.value = value
    }
}
