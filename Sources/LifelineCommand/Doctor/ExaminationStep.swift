import PostgreSQLStorage
import RedisStoreEngine
import ServerCluster

/// One test of Redis or of a data store, and its result.
struct ExaminationStep: Sendable {
    enum Verdict: Hashable, Sendable {
        case passed(String)
        case noted(String, advice: String)
        case failed(String, advice: String)
    }

    var name: String
    var verdict: Verdict
    var duration: Duration

    /// The result as text for people. The advice, if any, is on a second line.
    func text(_ colours: Colours) -> String {
        let (mark, colour, words, advice): (String, Colours.Colour, String, String?) =
            switch verdict {
            case .passed(let words): ("✓", .green, words, nil)
            case .noted(let words, let advice): ("!", .yellow, words, advice)
            case .failed(let words, let advice): ("✗", .red, words, advice)
            }
        let title = name + String(repeating: " ", count: max(0, 18 - name.count))
        let time = "\(Int(duration / .milliseconds(1))) ms"
        let padding = String(repeating: " ", count: max(0, 9 - time.count))
        var lines = ["\(colours.paint(mark, colour)) \(title) \(padding)\(time)  \(words)"]
        if let advice { lines.append("    → \(advice)") }
        return lines.joined(separator: "\n")
    }

    /// One JSON object.
    var json: String {
        var object = JSONObject()
        object.put("step", name)
        let (result, words, advice): (String, String, String?) =
            switch verdict {
            case .passed(let words): ("passed", words, nil)
            case .noted(let words, let advice): ("noted", words, advice)
            case .failed(let words, let advice): ("failed", words, advice)
            }
        object.put("result", result)
        object.put("seconds", duration)
        object.put("detail", words)
        object.put("advice", advice)
        return object.text
    }
}

extension ExaminationStep.Verdict {
    init(_ verdict: RedisExamination.Verdict) {
        switch verdict {
        case .passed(let words): self = .passed(words)
        case .noted(let words, let advice): self = .noted(words, advice: advice)
        case .failed(let words, let advice): self = .failed(words, advice: advice)
        }
    }

    init(_ verdict: PostgreSQLExamination.Verdict) {
        switch verdict {
        case .passed(let words): self = .passed(words)
        case .noted(let words, let advice): self = .noted(words, advice: advice)
        case .failed(let words, let advice): self = .failed(words, advice: advice)
        }
    }
}
