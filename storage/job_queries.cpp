#include "storage/job_queries.h"

namespace jobhost {

bool JobFilter::empty() const {
    return states.empty() && queue.empty() && type.empty() && tag.empty() && error.empty() &&
           group.empty() && !since;
}

}  // namespace jobhost
