/// Collects the arguments of a call one after the other, in any order, and makes it at the end:
///
/// ```swift
/// client.publish().message("Hello").channel("room").shouldStore(false).performWithCompletion { status in … }
/// ```
///
/// Each argument is a property that holds a closure, as in the Cocoa SDK, and returns the same builder. Not for sharing
/// between threads.
open class PNAPICallBuilder {
    final let client: PubNub
    /// The query parameters that the caller adds.
    final var query: [AnyHashable: Any]?

    init(_ client: PubNub) {
        self.client = client
    }
}

/// A builder whose arguments return itself.
protocol ArgumentBuilder: PNAPICallBuilder {}

extension ArgumentBuilder {
    /// Makes an argument of the builder: a closure that stores a value and returns the builder.
    func argument<Value>(_ take: @escaping (Self, Value) -> Void) -> (Value) -> Self {
        { value in
            take(self, value)
            return self
        }
    }
}
