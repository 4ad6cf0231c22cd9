import Foundation

/// Converts JSON text to and from the values of `JSONSerialization`.
enum AnyJSON {
    /// `value` as JSON text, or nil when it is not a JSON value: a `Date`, a NaN, a type of your own.
    static func encode(_ value: Any) -> String? {
        // Wrapped in an array, because only arrays and objects can be checked, and writing an unchecked value traps on Apple platforms.
        guard JSONSerialization.isValidJSONObject([value]) else { return nil }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// The value of a JSON text, or nil when `text` is not JSON.
    static func parse(_ text: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    /// `text` as a JSON string, quotes included.
    static func quote(_ text: String) -> String {
        encode(text) ?? "\"\""
    }
}
