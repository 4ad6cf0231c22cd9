/// The result of a step.
enum StepVerdict: Hashable, Sendable {
    /// The step succeeded. The text has the details.
    case passed(String)
    /// The step succeeded. The text has the details, and the finding is a remark.
    case noted(String, Finding)
    /// The step was not requested. The text is the reason.
    case skipped(String)
    /// The step could not be tried, because the given earlier step failed.
    case unreached(DoctorStep)
    case failed(Finding)
}

/// A step, its result and how long it took.
struct StepReport: Hashable, Sendable {
    var step: DoctorStep
    var verdict: StepVerdict
    /// The duration; nil for a step that was not tried.
    var duration: Duration?

    var isFailure: Bool {
        if case .failed = verdict { true } else { false }
    }

    /// The step as lines of text for people.
    func text(_ colours: Colours) -> String {
        let (mark, colour, words, finding): (String, Colours.Colour, String, Finding?) =
            switch verdict {
            case .passed(let words): ("✓", .green, words, nil)
            case .noted(let words, let finding): ("!", .yellow, words, finding)
            case .skipped(let words): ("–", .dim, words, nil)
            case .unreached(let obstacle): ("–", .dim, "not tried, since \(obstacle.title) failed", nil)
            case .failed(let finding): ("✗", .red, finding.meaning, finding)
            }
        let title = step.title + String(repeating: " ", count: max(0, 18 - step.title.count))
        var lines = ["\(colours.paint(mark, colour)) \(title) \(Self.milliseconds(duration))  \(words)"]
        if let finding {
            if !isFailure { lines.append("    \(finding.meaning)") }
            lines.append("    → \(finding.advice)")
        }
        return lines.joined(separator: "\n")
    }

    /// Nine characters wide.
    private static func milliseconds(_ duration: Duration?) -> String {
        guard let duration else { return String(repeating: " ", count: 9) }
        let text = "\(Int(duration / .milliseconds(1))) ms"
        return String(repeating: " ", count: max(0, 9 - text.count)) + text
    }

    /// One JSON object.
    var json: String {
        var object = JSONObject()
        object.put("step", step.rawValue)
        let (result, detail, finding): (String, String?, Finding?) =
            switch verdict {
            case .passed(let words): ("passed", words, nil)
            case .noted(let words, let finding): ("noted", words, finding)
            case .skipped(let words): ("skipped", words, nil)
            case .unreached(let obstacle): ("skipped", "not tried, since \(obstacle.rawValue) failed", nil)
            case .failed(let finding): ("failed", nil, finding)
            }
        object.put("result", result)
        object.put("seconds", duration)
        object.put("detail", detail)
        object.put("code", finding?.code)
        object.put("meaning", finding?.meaning)
        object.put("advice", finding?.advice)
        return object.text
    }
}
