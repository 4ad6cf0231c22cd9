import Foundation

/// Converts JSON text to and from the values of `JSONSerialization`, which the public API takes and returns.
enum FoundationJSON {
    /// The value of a JSON text: a dictionary, an array, a `String`, an `NSNumber` or `NSNull`. Nil when it is not JSON.
    static func value(_ text: String) -> Any? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = FoundationReader(UnsafeRawBufferPointer(bytes))
            return try? reader.read()
        }
    }

    /// Encodes a value as JSON text with unescaped slashes; nil when the value is not a JSON value, such as a `Date` or NaN.
    static func text(_ value: Any) -> String? {
        // The value is checked inside an array, because only arrays and objects can be checked, and encoding an unchecked value traps on
        // Apple platforms.
        guard JSONSerialization.isValidJSONObject([value]) else { return nil }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
