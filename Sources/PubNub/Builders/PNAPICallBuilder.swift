/// A builder collects the arguments of a call one after the other, in any order. `performWithCompletion` sends the request:
///
/// ```swift
/// client.publish().message("Hello").channel("room").shouldStore(false).performWithCompletion { status in … }
/// ```
///
/// Each argument is a property that holds a closure, as in the Cocoa SDK, and returns the same builder. Several threads must not share a
/// builder.
open class PNAPICallBuilder {
    final let client: PubNub
    /// Query parameters that the caller adds to the request; nil for none.
    final var query: [AnyHashable: Any]?

    init(_ client: PubNub) {
        self.client = client
    }
}

/// A builder whose argument properties return the builder itself.
protocol ArgumentBuilder: PNAPICallBuilder {}

extension ArgumentBuilder {
    /// Makes the closure of an argument property. The closure stores its argument in the builder and returns the builder.
    func argument<Value>(_ take: @escaping (Self, Value) -> Void) -> (Value) -> Self {
        { value in
            take(self, value)
            return self
        }
    }
}
