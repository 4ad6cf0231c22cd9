/// What an observer has not seen yet. Bounded: beyond the limit droppable elements are left out, and a marker stands in their
/// place, so that nobody takes the rest for the whole.
struct BoundedBacklog<Element: Sendable>: CoalescingBuffer, Sendable {
    private(set) var elements: [Element] = []
    /// All elements that were ever left out.
    private(set) var droppedInTotal = 0
    private var droppedSinceMarker = 0
    private let limit: Int
    private let isDroppable: @Sendable (Element) -> Bool
    private let marker: @Sendable (Int) -> Element

    init(
        limit: Int, isDroppable: @escaping @Sendable (Element) -> Bool, marker: @escaping @Sendable (Int) -> Element
    ) {
        self.limit = max(limit, 1)
        self.isDroppable = isDroppable
        self.marker = marker
    }

    var isEmpty: Bool { elements.isEmpty && droppedSinceMarker == 0 }

    mutating func append(contentsOf new: [Element]) {
        if elements.isEmpty && droppedSinceMarker == 0 && new.count <= limit {
            elements = new
            return
        }
        for element in new {
            if elements.count >= limit && isDroppable(element) {
                droppedSinceMarker += 1
                droppedInTotal += 1
            } else {
                mark()
                elements.append(element)
            }
        }
    }

    /// Takes everything out.
    mutating func takeAll() -> [Element] {
        mark()
        var taken: [Element] = []
        swap(&taken, &elements)
        return taken
    }

    /// Puts back elements that were taken last and not delivered. They were within the limit then, so nothing is dropped for them.
    mutating func giveBack(_ taken: ArraySlice<Element>) {
        elements.insert(contentsOf: taken, at: 0)
    }

    private mutating func mark() {
        guard droppedSinceMarker > 0 else { return }
        elements.append(marker(droppedSinceMarker))
        droppedSinceMarker = 0
    }
}
