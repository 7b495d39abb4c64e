/* Counts without a lock. */
void native_count(long *counter)
{
    *counter += 1;
}
