import Foundation

/// Converts JSON text to and from the values of `JSONSerialization`.
enum AnyJSON {
    /// `value` as JSON text; nil when it is not a JSON value, such as a `Date` or a NaN.
    static func encode(_ value: Any) -> String? {
        // The value is checked inside an array, because `isValidJSONObject` accepts only arrays and objects, and writing an unchecked value
        // traps on Apple platforms.
        guard JSONSerialization.isValidJSONObject([value]) else { return nil }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// The value that a JSON text contains; nil when `text` is not JSON.
    static func parse(_ text: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    /// `text` as a JSON string, including the quotation marks.
    static func quote(_ text: String) -> String {
        encode(text) ?? "\"\""
    }
}
